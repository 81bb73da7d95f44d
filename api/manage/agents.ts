import { z } from 'zod';
import { agentInvitation, agentResource, pendingInvitation, regionResource } from '../../core/agent-resource.ts';
import { AppError } from '../../core/app-error.ts';
import { enrolCommand } from '../../core/invitation.ts';
import { checkStorableText } from '../../core/storable.ts';
import { listAgentStates, listRegionStates } from '../../db/agent-states.ts';
import { inviteAgent, listInvitations, withdrawInvitations } from '../../db/agent-invitations.ts';
import { renameAgent, revokeAgent } from '../../db/agents.ts';
import { shownAgent } from '../v4/agents.ts';
import { ACKNOWLEDGED, acknowledged } from './acknowledged.ts';
import { action } from './action.ts';

/** Agents and their regions, beyond the reference. */

const MAX_NAME = 255;
const MAX_MINUTES = 7 * 24 * 60;
const MINUTES = `minutes must be an integer between 1 and ${MAX_MINUTES}`;
const REGION = 'region must be a name of at most 32 lowercase letters, digits and hyphens';
const NO_MEETING_POINT =
  'Agents are invited by the command line here: the service was not told COLLECTOR_ADDRESS and AUTHORITY_FINGERPRINT';

const name = agentName('name');
const new_name = agentName('new_name');

export const agentActions = [
  action({
    name: 'inviteAgent',
    permission: 'settings.write',
    summary: 'Make the command that lets a host become an agent, once',
    data: z.object({
      region: z.string(REGION).regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/, REGION),
      name: name.optional(),
      minutes: z
        .int(MINUTES)
        .min(1, MINUTES)
        .max(MAX_MINUTES, MINUTES)
        .default(60)
        .meta({ description: 'For which it is good' }),
    }),
    result: agentInvitation,
    about: ({ region, name }) => ({ region, agent: name }),
    run: async ({ region, name: wanted = null, minutes }, { db, meetingPoint }) => {
      if (!meetingPoint) throw new AppError('BAD_REQUEST', NO_MEETING_POINT);
      const invited = await inviteAgent(db, { region, name: wanted, lifetimeSeconds: minutes * 60 }, meetingPoint);
      if ('problem' in invited) throw new AppError('BAD_REQUEST', `Agent '${wanted}' already exists`);
      const { name, token, expiresAt } = invited;
      return { name, region, command: enrolCommand(token), token, expires_at: expiresAt.toISOString() };
    },
  }),
  action({
    name: 'getAgents',
    permission: 'monitors.read',
    summary: 'List agents with what they last said of themselves, oldest first',
    data: z.object({}),
    result: z.array(agentResource),
    run: async (_data, { db }) => (await listAgentStates(db)).map(shownAgent),
  }),
  action({
    name: 'getRegions',
    permission: 'monitors.read',
    summary: 'List regions with the number of their agents, by name',
    data: z.object({}),
    result: z.array(regionResource),
    run: (_data, { db }) => listRegionStates(db),
  }),
  action({
    name: 'getInvitations',
    permission: 'monitors.read',
    summary: 'List the invitations of agents that nobody has used and that are still good, oldest first',
    data: z.object({}),
    result: z.array(pendingInvitation),
    run: (_data, { db }) => listInvitations(db),
  }),
  action({
    name: 'withdrawInvitation',
    permission: 'settings.write',
    summary: 'Let nobody become an agent of that name any more by an invitation made so far',
    data: z.object({ name }),
    result: acknowledged,
    about: ({ name }) => ({ agent: name }),
    run: async ({ name }, { db }) => {
      if (!(await withdrawInvitations(db, name)))
        throw new AppError('NOT_FOUND', `No invitation of agent '${name}' is pending`);
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'renameAgent',
    permission: 'settings.write',
    summary: 'Give an agent another name',
    data: z.object({ name, new_name }),
    result: acknowledged,
    about: ({ name, new_name }) => ({ agent: name, newName: new_name }),
    run: async ({ name, new_name }, { db }) => {
      const done = await renameAgent(db, name, new_name);
      if (done === 'unknown') throw agentNotFound(name);
      if (done === 'taken') throw new AppError('BAD_REQUEST', `Agent '${new_name}' already exists`);
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'revokeAgent',
    permission: 'settings.write',
    summary: 'Refuse an agent for good',
    data: z.object({ name }),
    result: acknowledged,
    about: ({ name }) => ({ agent: name }),
    run: async ({ name }, { db }) => {
      if (!(await revokeAgent(db, name))) throw agentNotFound(name);
      return ACKNOWLEDGED;
    },
  }),
];

function agentName(field: string) {
  const message = `${field} must be a non-empty string`;
  return z.string(message).trim().min(1, message).max(MAX_NAME).superRefine(checkStorableText);
}

function agentNotFound(name: string): AppError {
  return new AppError('NOT_FOUND', `Agent '${name}' not found`);
}
