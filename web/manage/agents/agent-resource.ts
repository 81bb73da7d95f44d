/** An agent as `getAgents` answers (api/v4/agents.ts). */
export interface Agent {
  id: number;
  name: string;
  region: string;
  version: string | null;
  revoked_at: string | null;
  certificate_expires_at: string | null;
  last_seen: string | null;
  connected: boolean;
  clock_offset_ms: number | null;
  monitors: number | null;
  spool: { results: number; bytes: number; age_seconds: number } | null;
  unknown_last_hour: Record<string, number>;
  problems: string[];
}

/** A region as `getRegions` answers. */
export interface Region {
  id: number;
  name: string;
  agents: number;
  connected_agents: number;
  minutes: { due: number; known: number; unknown: number; absent: number; missing: number };
}
