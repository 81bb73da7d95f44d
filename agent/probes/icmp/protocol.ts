import type { Family } from './address.ts';
import type { EchoProblem } from './host-echo.ts';

/**
 * What the agent and its ICMP process say to each other, as JSON over the child's channel, many hosts a message. Both
 * ends are of one build, so neither checks what the other says.
 */
export type ToProcess =
  | { kind: 'ping'; intervalMs: number; rows: PingRow[] }
  | { kind: 'cancel'; keys: number[] }
  | { kind: 'able'; key: number };

export type FromProcess = { kind: 'echoes'; rows: EchoRow[] } | { kind: 'able'; key: number; problems: FamilyProblems };

/** Key, address, family, count, timeout in milliseconds. */
export type PingRow = [number, string, Family, number, number];

/** Key, sent, received, round-trip times in microseconds, ICMP error, problem. */
export type EchoRow = [number, number, number, number[], string | null, EchoProblem | null];

/** Why this agent cannot ping over a family; null where it can. */
export type FamilyProblems = Record<Family, EchoProblem | null>;
