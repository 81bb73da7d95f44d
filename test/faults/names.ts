/** The parts of a run: two agents in each of three regions, two collectors. */
export const REGIONS = ['eu', 'us', 'ap'] as const;
export const AGENTS = ['eu-1', 'us-1', 'ap-1', 'eu-2', 'us-2', 'ap-2'] as const;
export const COLLECTORS = ['collector-a', 'collector-b'] as const;

export type AgentName = (typeof AGENTS)[number];
export type CollectorName = (typeof COLLECTORS)[number];

/** An agent's region. */
export function regionOf(agent: AgentName): string {
  return agent.slice(0, agent.indexOf('-'));
}
