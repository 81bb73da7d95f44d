import type { Json } from './openapi-schema.ts';

/**
 * An example of what a schema describes: the schema's own where it has one, else made of its parts, with words from one
 * small world where a member's name says what it is.
 */
export function exampleOf(schema: Json, schemas: Json): unknown {
  return valueOf(schema, schemas, undefined);
}

/** Members that are called the same are the same kind of thing everywhere. */
const WORLD: Record<string, readonly unknown[]> = {
  id: [7],
  tag: ['web-eu'],
  monitor_tag: ['web-eu'],
  name: ['Web front'],
  title: ['Checkout is slow'],
  maintenance_title: ['Weekly restart'],
  description: ['What customers see first'],
  maintenance_description: ['The web servers restart one after another'],
  comment: ['A fix is out, we watch it'],
  category_name: ['Storefront'],
  image: ['https://status.example/web.svg'],
  external_url: ['https://web.example'],
  cron: ['*/5 * * * *'],
  monitor_type: ['TCP'],
  type_data: [{ hosts: [{ type: 'DOMAIN', host: 'web.example', port: 443, timeout: 1000 }] }],
  monitor_settings_json: [{ quorum: 'majority' }],
  region: ['eu'],
  rrule: ['FREQ=WEEKLY;BYDAY=SU'],
  maintenance_rrule: ['FREQ=WEEKLY;BYDAY=SU'],
  timezone: ['Europe/Berlin'],
  duration_seconds: [3600],
  maintenance_duration_seconds: [3600],
  page_path: ['storefront'],
  page_title: ['Storefront status'],
  page_header: ['Storefront'],
  page_subheader: ['Everything you buy with'],
  page_logo: ['https://status.example/logo.svg'],
  latency: [21.5],
  updated_count: [60],
  position: [0],
  page: [1],
  limit: [20],
  total: [1],
  email: ['ada@status.example'],
  end_date_time: [1_795_086_000, null],
  event_end_date_time: [1_795_086_000],
  message: ['It is done'],
  password: ['Correct-horse-7'],
  new_password: ['Correct-horse-7'],
  current_password: ['Correct-horse-6'],
  token: ['gq3Jq0cT5xkLw1o4vYyW'],
  siteName: ['Example status'],
  siteURL: ['https://status.example'],
  logo: ['https://status.example/logo.svg'],
  favicon: ['https://status.example/favicon.svg'],
  language: ['en'],
  footer: ['We answer within the hour'],
  impact: ['DOWN'],
  state: ['MONITORING'],
  type: ['API'],
  is_hidden: ['NO'],
  include_degraded_in_downtime: ['NO'],
  max_count: [5],
  days_in_past: [7],
  days_in_future: [30],
  desktop: [90],
  mobile: [30],
  meta_page_title: ['Storefront status'],
  end_ts: [1_795_168_800],
  up: [1435],
  down: [3],
  degraded: [2],
  maintenance: [0],
  uptime: [99.7917],
  uptime_text: ['99.7917'],
  avg: [23.4],
  min: [18.9],
  max: [61.2],
  version: ['0.1.0'],
  problems: [[]],
  role_ids: [['editor']],
  user_agent: ['Mozilla/5.0'],
  address: ['203.0.113.7'],
};
const A_MINUTE = 1_795_082_400;
const A_MOMENT = '2026-11-19T10:00:00.000Z';

function valueOf(schema: Json, schemas: Json, name: string | undefined): unknown {
  if (typeof schema.$ref === 'string') return valueOf(referenced(schema.$ref, schemas), schemas, name);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  const known = name === undefined ? undefined : WORLD[name]?.find((value) => isOfType(value, schema, schemas));
  return known ?? ownValue(schema) ?? composed(schema, schemas, name);
}

function referenced(reference: string, schemas: Json): Json {
  // What `schemaOf` put there.
  return (schemas[reference.split('/').at(-1) ?? ''] ?? {}) as Json;
}

function ownValue({ enum: values, const: only, default: fallback }: Json): unknown {
  return Array.isArray(values) ? values[0] : (only ?? fallback);
}

function composed(schema: Json, schemas: Json, name: string | undefined): unknown {
  const variants = variantsOf(schema);
  if (variants.length > 0) return valueOf(variants[0] ?? {}, schemas, name);
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...(schema.allOf as Json[]).map((part) => valueOf(part, schemas, name))) as Json;
  switch (typeOf(schema)) {
    case 'object':
      return members(schema, schemas);
    case 'array':
      // What zod writes for an array, or for a tuple.
      return ((schema.prefixItems as Json[] | undefined) ?? [(schema.items ?? {}) as Json]).map((item) =>
        valueOf(item, schemas, name?.replace(/s$/, '')),
      );
    default:
      return scalar(schema, name);
  }
}

function members({ properties = {} }: Json, schemas: Json): Json {
  // A schema's properties are schemas.
  const entries = Object.entries(properties as Record<string, Json>);
  return Object.fromEntries(entries.map(([key, property]) => [key, valueOf(property, schemas, key)]));
}

function scalar(schema: Json, name = ''): unknown {
  const { minimum = 0 } = schema as { minimum?: number };
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return /_ts$|_time$|timestamp|_at$/.test(name) ? A_MINUTE : Math.max(minimum, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.format === 'date-time' || /_at$/.test(name) ? A_MOMENT : 'text';
  }
}

/** What a schema says by "any of"; null comes last. */
function variantsOf({ anyOf, oneOf }: Json): Json[] {
  // The members of these keywords are schemas.
  const variants = [...((anyOf ?? oneOf ?? []) as Json[])];
  return variants.sort((a, b) => Number(typeOf(a) === 'null') - Number(typeOf(b) === 'null'));
}

function typeOf({ type, properties }: Json): string {
  if (Array.isArray(type)) return String(type[0]);
  return typeof type === 'string' ? type : properties ? 'object' : '';
}

function isOfType(value: unknown, schema: Json, schemas: Json): boolean {
  if (typeof schema.$ref === 'string') return isOfType(value, referenced(schema.$ref, schemas), schemas);
  const variants = variantsOf(schema);
  if (variants.length > 0) return variants.some((variant) => isOfType(value, variant, schemas));
  const type = typeOf(schema);
  if (schema.const !== undefined) return value === schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null;
  return value === null ? type === 'null' : typeof value === type;
}
