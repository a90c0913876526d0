import { readEnvironment } from '../../src/runtime/config/environment';
import { execForm } from './image';
import { knownVariables } from './project';
import { yamlDocument } from './yaml-file';

interface ComposeService {
  readonly build?: string;
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck: { test: readonly string[]; interval: string; timeout: string };
  readonly stop_grace_period: string;
  readonly user?: string;
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_add?: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly privileged?: boolean;
}

const compose = yamlDocument<{
  services: { service: ComposeService; database: ComposeService };
  volumes: Record<string, unknown>;
}>('compose.yaml');
const { service, database } = compose.services;

/** Fills in a value as Compose does: `${NAME:-default}`, `${NAME:?what to do}`. */
function filledIn(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\{([A-Z_]+):(-|\?)([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = variables[name];
    if (value === undefined && kind === '?') throw new Error(`${name}: ${rest}`);
    return value ?? rest;
  });
}

function environmentOf({ environment }: ComposeService, variables: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, filledIn(value, variables)]),
  );
}

/** What the exporter of spans reads by itself and needs no file for, which a container would not have. */
const ofExporter = [
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
];

describe('compose.yaml', () => {
  it('holds the service and its database, and nothing else', () => {
    expect(Object.keys(compose.services)).toEqual(['service', 'database']);
    expect(service.build).toBe('.');
  });

  it('sets what the service knows, to values that it takes', () => {
    const known = [...knownVariables(), ...ofExporter];
    expect(known).toEqual(expect.arrayContaining(Object.keys(service.environment)));
    const environment = readEnvironment(environmentOf(service, { POSTGRES_PASSWORD: 'secret' }));
    expect(environment).toMatchObject({
      trustProxy: false,
      corsAllowedOrigins: [],
      logLevel: 'info',
      port: 3000,
    });
  });

  it('passes every setting on that .env may have, and leaves the default to the service', () => {
    // The container has its own ports and folders, and a database of its own.
    const own = ['PORT', 'HOST', 'METRICS_PORT', 'DATA_DIR', 'DATABASE_URL', 'DATABASE_POOLER'];
    const passed = [...knownVariables(), ...ofExporter].filter((name) => !own.includes(name));
    const given = Object.fromEntries(passed.map((name) => [name, `value of ${name}`]));
    expect(environmentOf(service, { ...given, POSTGRES_PASSWORD: 'secret' })).toMatchObject(given);
    const unset = environmentOf(service, { POSTGRES_PASSWORD: 'secret' });
    const { DATABASE_URL } = unset;
    expect(readEnvironment(unset)).toEqual(readEnvironment({ DATABASE_URL }));
  });

  it('leads the service to the database beside it', () => {
    const variables = { POSTGRES_PASSWORD: 'secret' };
    const { DATABASE_URL } = environmentOf(service, variables);
    const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = environmentOf(database, variables);
    expect(DATABASE_URL).toBe(
      `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@database:5432/${POSTGRES_DB}`,
    );
    expect(service.depends_on).toEqual({ database: { condition: 'service_healthy' } });
  });

  it('has no password of its own, and says so', () => {
    expect(() => environmentOf(service, {})).toThrow('POSTGRES_PASSWORD');
    expect(() => environmentOf(database, {})).toThrow('POSTGRES_PASSWORD');
  });

  it('lets only this machine reach the service, and no machine the database or the metrics', () => {
    expect(service.ports?.map((port) => filledIn(port, {}))).toEqual(['127.0.0.1:3000:3000']);
    expect(database.ports).toBeUndefined();
  });

  it('keeps the data in a volume, where the image of this version looks for it', () => {
    expect(database.image).toMatch(/^postgres:1[89]/);
    expect(database.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(Object.keys(compose.volumes)).toEqual(['database']);
  });

  it('checks the health of both, without a shell', () => {
    expect(service.healthcheck.test).toEqual(['CMD', 'node', 'healthcheck.mjs', '/readyz']);
    expect(database.healthcheck.test.slice(0, 2)).toEqual(['CMD', 'pg_isready']);
    expect(execForm(JSON.stringify(database.healthcheck.test))).toContain('--host=127.0.0.1');
  });

  it('lets the service finish what is under way', () => {
    expect(parseInt(service.stop_grace_period, 10)).toBeGreaterThan(10);
  });

  it.each(Object.entries(compose.services))(
    'gives the %s no more rights than it needs',
    (_name, container) => {
      expect(container).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(container.tmpfs).toContain('/tmp');
      expect(container.cap_add).toBeUndefined();
      expect(container.privileged).toBeUndefined();
    },
  );

  it('runs the database as an ordinary user', () => {
    expect(database.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });
});
