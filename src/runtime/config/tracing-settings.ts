import { Unfit } from './setting-values';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * Which traces are recorded, by the names of OpenTelemetry's specification. Those that begin with `parentbased` follow
 * the caller's decision if there is one.
 */
export type TracesSampler = (typeof SAMPLERS)[number];

/** Attributes of OpenTelemetry's resource: facts about this instance. */
export type ResourceAttributes = Readonly<Record<string, string>>;

/** How spans are recorded, and where they are sent. */
export interface TracingSettings {
  /** The address that takes spans by OTLP over HTTP. */
  readonly endpoint: string;
  readonly sampler: TracesSampler;
  /** The share of traces that the samplers with `traceidratio` record, from 0 to 1. */
  readonly ratio: number;
  readonly serviceName: string;
  /** Facts about this instance, which all its spans carry. */
  readonly resource: ResourceAttributes;
}

const SERVICE_NAME = 'construction-data-translation';

/** The tracing settings from the variables' values; undefined if no spans are recorded. */
export function tracingSettings(variables: {
  readonly disabled: boolean;
  readonly endpoint: string | undefined;
  readonly tracesEndpoint: string | undefined;
  readonly sampler: TracesSampler;
  readonly ratio: number;
  readonly serviceName: string | undefined;
  readonly resource: ResourceAttributes;
}): TracingSettings | undefined {
  const { disabled, endpoint: base, tracesEndpoint, sampler, ratio, resource } = variables;
  // By the specification of OTLP: this address is used as it is, the other one is that of all signals.
  const endpoint = tracesEndpoint ?? (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (disabled || endpoint === undefined) return undefined;
  const serviceName = variables.serviceName ?? resource['service.name'] ?? SERVICE_NAME;
  return { endpoint, sampler, ratio, serviceName, resource };
}

export function parseSampler(text: string): TracesSampler {
  const sampler = SAMPLERS.find((known) => known === text.toLowerCase());
  if (sampler === undefined) throw new Unfit(`one of ${SAMPLERS.join(', ')}`);
  return sampler;
}

export function parseRatio(text: string): number {
  if (!/^\d{0,1}(\.\d{1,12})?$/.test(text) || text === '' || Number(text) > 1) {
    throw new Unfit('a number from 0 to 1, such as 0.01');
  }
  return Number(text);
}

/** Refuses a user, password or key in the address: what the collector needs besides spans belongs in its headers. */
export function parseCollector(text: string): string {
  if (!/^https?:\/\/[^\s?#@\\]+$/i.test(text) || !URL.canParse(text)) {
    throw new Unfit('an address such as http://collector:4318, without user, query or fragment');
  }
  return text;
}

/** The form of W3C Baggage: `key=value` pairs, comma separated, with percent-encoded values. */
export function parseResourceAttributes(text: string): ResourceAttributes {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(pairs.map(parseAttribute));
}

function parseAttribute(pair: string): readonly [string, string] {
  const [, key, value = ''] = /^\s*([^\s=]+)\s*=([^=]*)$/.exec(pair) ?? [];
  const decoded = key === undefined ? undefined : percentDecoded(value.trim());
  if (key === undefined || decoded === undefined) {
    throw new Unfit('comma separated pairs such as deployment.environment.name=production,team=erp');
  }
  return [key, decoded];
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function parseTrueOrFalse(text: string): boolean {
  const word = text.toLowerCase();
  if (word !== 'true' && word !== 'false') throw new Unfit('true or false');
  return word === 'true';
}
