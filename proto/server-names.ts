/**
 * The names that servers' certificates carry. Agents pin the authority and these names, whatever address leads there:
 * who may answer under a name is the authority's word, not that of a resolver.
 */
export const COLLECTOR_NAME = 'collector.farwatch.internal';
export const NATS_NAME = 'nats.farwatch.internal';
