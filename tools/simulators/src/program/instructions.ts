import type { SimulatedConnection } from './simulators';

/**
 * A shell command that creates a key for sealing credentials, and stores it where the service and its commands find
 * it.
 */
const newKey = `node -p '"CREDENTIALS_KEYS=local:" + require("node:crypto").randomBytes(32).toString("base64")' >> .env`;
const newCustomer = 'CUSTOMER=$(npm run -s cli -- customers create --name "Simulated platforms")';

type Connections = Readonly<Record<'platform_a' | 'platform_b', SimulatedConnection>>;

/** Instructions for a person about the running simulators, with commands to paste into a shell. */
export function instructions(connections: Connections): string {
  return [
    ...Object.entries(connections).map(([platform, connection]) => facts(platform, connection)),
    'To connect a customer, paste into a shell in the project’s folder:',
    '',
    '# Once, before the service starts: it and these commands need the same CREDENTIALS_KEYS.',
    newKey,
    '',
    newCustomer,
    ...Object.entries(connections).map(([platform, connection]) => connecting(platform, connection)),
    '',
    'The simulators are running; Ctrl-C ends them.',
    '',
  ].join('\n');
}

/** The connections for programs: one line of JSON. */
export function connectionsAsJson(connections: Connections): string {
  return `${JSON.stringify(connections)}\n`;
}

function facts(platform: string, { control_url, credentials }: SimulatedConnection): string {
  const rows = Object.entries({ ...credentials, control: control_url });
  const lines = rows.map(([name, value]) => `  ${name.padEnd(14)} ${String(value)}`);
  return [platform, ...lines, ''].join('\n');
}

// The `echo` of the shell: its text is no argument of a process. No value contains a single quote.
function connecting(platform: string, { credentials }: SimulatedConnection): string {
  const json = JSON.stringify(credentials);
  return `echo '${json}' | npm run -s cli -- connections set --customer "$CUSTOMER" --platform ${platform}`;
}
