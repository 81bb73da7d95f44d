import { inboxPrefixOf, subjectOfRequest } from '../../proto/definition-requests.ts';

/** Ids of agents: a thief has the key of the one in `eu`, whose neighbour is of the same region. */
interface Agents {
  eu: number;
  neighbour: number;
  us: number;
}

type Attempt = readonly [what: string, subjectOf: (agents: Agents) => string];

/** What an agent's login must not be able to publish. */
export const FORBIDDEN_TO_SAY: readonly Attempt[] = [
  ['speak for its neighbour', ({ neighbour }) => `farwatch.members.eu.${neighbour}`],
  ['speak in another region', ({ us }) => `farwatch.members.us.${us}`],
  ['speak in its own name in another region', ({ eu }) => `farwatch.members.us.${eu}`],
  ['write a definition', () => '$KV.eu.m.1'],
  ['write a definition of another region', () => '$KV.us.m.1'],
  ['get a message', () => '$JS.API.STREAM.MSG.GET.KV_eu'],
  ['get a message of another region', () => '$JS.API.STREAM.MSG.GET.KV_us'],
  ['get a message directly', () => '$JS.API.DIRECT.GET.KV_eu.$KV.eu.manifest'],
  ['get a message of another region directly', () => '$JS.API.DIRECT.GET.KV_us.$KV.us.manifest'],
  ['list streams', () => '$JS.API.STREAM.LIST'],
  ['list names of streams', () => '$JS.API.STREAM.NAMES'],
  ['look at a stream and its subjects', () => '$JS.API.STREAM.INFO.KV_us'],
  ['look at its own stream', () => '$JS.API.STREAM.INFO.KV_eu'],
  ['purge a stream', () => '$JS.API.STREAM.PURGE.KV_eu'],
  ['purge a stream of another region', () => '$JS.API.STREAM.PURGE.KV_us'],
  ['delete a stream', () => '$JS.API.STREAM.DELETE.KV_eu'],
  ['delete a message', () => '$JS.API.STREAM.MSG.DELETE.KV_eu'],
  ['make a stream', () => '$JS.API.STREAM.CREATE.other'],
  ['change a stream', () => '$JS.API.STREAM.UPDATE.KV_eu'],
  ['take a snapshot of a stream', () => '$JS.API.STREAM.SNAPSHOT.KV_us'],
  ['make a consumer', () => '$JS.API.CONSUMER.CREATE.KV_eu'],
  ['make a consumer with a name', () => '$JS.API.CONSUMER.CREATE.KV_eu.x.$KV.eu.m.1'],
  ['make its own consumer', ({ eu }) => `$JS.API.CONSUMER.CREATE.KV_eu.agent-${eu}`],
  ['make a consumer of another region', () => '$JS.API.CONSUMER.CREATE.KV_us.x.>'],
  ['ask for definitions in the name of its neighbour', ({ neighbour }) => subjectOfRequest('eu', neighbour, 'watch')],
  ['ask for definitions of another region', ({ eu }) => subjectOfRequest('us', eu, 'watch')],
  ['say that its neighbour keeps up', ({ neighbour }) => `$JS.FC.KV_eu.agent-${neighbour}.x`],
  ['make a durable consumer', () => '$JS.API.CONSUMER.DURABLE.CREATE.KV_eu.x'],
  ['list consumers', () => '$JS.API.CONSUMER.LIST.KV_eu'],
  ['delete a consumer', () => '$JS.API.CONSUMER.DELETE.KV_eu.x'],
  ['pull from a consumer', () => '$JS.API.CONSUMER.MSG.NEXT.KV_eu.x'],
  ['look at the account', () => '$JS.API.INFO'],
  ['ask the system for accounts', () => '$SYS.REQ.CLAIMS.LIST'],
  ['change an account', () => '$SYS.REQ.CLAIMS.UPDATE'],
  ['ask all servers who is connected', () => '$SYS.REQ.SERVER.PING.CONNZ'],
  ['ask all servers who listens to what', () => '$SYS.REQ.SERVER.PING.SUBSZ'],
  ['ask all servers how they are', () => '$SYS.REQ.SERVER.PING.VARZ'],
  ['ask who is connected in its account', () => '$SYS.REQ.ACCOUNT.PING.CONNZ'],
  ['ask who listens to what in its account', () => '$SYS.REQ.ACCOUNT.PING.SUBSZ'],
  ['ask how much its account sends', () => '$SYS.REQ.ACCOUNT.PING.STATZ'],
  ['ask what it may itself', () => '$SYS.REQ.USER.INFO'],
  ['answer into a foreign inbox', ({ neighbour }) => `${inboxPrefixOf(neighbour)}.x`],
];

/** And what it must not be able to subscribe to. */
export const FORBIDDEN_TO_HEAR: readonly Attempt[] = [
  ['everything', () => '>'],
  ["its neighbour's inbox", ({ neighbour }) => `${inboxPrefixOf(neighbour)}.>`],
  ["everybody's inboxes", () => '_INBOX.>'],
  ['the agents of another region', () => 'farwatch.members.us.*'],
  ['what its neighbours ask collectors', () => 'farwatch.definitions.eu.>'],
  ['the definitions of another region', () => '$KV.us.>'],
  ['definitions past JetStream', () => '$KV.eu.>'],
  ['what others ask JetStream', () => '$JS.API.>'],
  ['events of JetStream', () => '$JS.EVENT.>'],
  ['the system', () => '$SYS.>'],
];
