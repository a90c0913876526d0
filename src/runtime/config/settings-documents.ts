import { type Setting, SETTINGS } from './settings';

const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);

/** The rows of the table in docs/settings.md, without the heading: variable, default, meaning. */
export function settingsRows(): readonly (readonly [string, string, string])[] {
  return settings.map((setting) => [`\`${setting.variable}\``, defaultOf(setting), setting.meaning]);
}

function defaultOf(setting: Setting<unknown>): string {
  if (!('fallback' in setting)) return setting.unsetMeans;
  return setting.fallback === '' ? 'none' : `\`${setting.fallback}\``;
}

/** The file `.env.example`. */
export function environmentExample(): string {
  return [
    '# Copy to .env to change a setting of `npm start` and `npm run cli`. A variable of the shell wins over this file.',
    '# A line left as it is shows the default. Printed from the code, as is the table in docs/settings.md.',
    ...settings.flatMap((setting) => ['', ...commentOf(setting), assignmentOf(setting)]),
    '',
  ].join('\n');
}

function commentOf(setting: Setting<unknown>): readonly string[] {
  const meaning = setting.meaning.replaceAll('`', '');
  const text =
    'fallback' in setting ? meaning : `${meaning} (unset: ${setting.unsetMeans.replaceAll('`', '')})`;
  return wrapped(`${text}.`, 116).map((line) => `# ${line}`);
}

function assignmentOf(setting: Setting<unknown>): string {
  return `#${setting.variable}=${'fallback' in setting ? setting.fallback : ''}`;
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
