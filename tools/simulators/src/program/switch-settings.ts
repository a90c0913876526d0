import { platformASwitches, type PlatformASwitches } from '../platform_a/switches';
import { platformBSwitches, type PlatformBSwitches } from '../platform_b/switches';
import { SwitchError, switchesFromText, type SwitchDefinition, type SwitchValue } from '../server';

/** Switches of each platform that are not at their defaults. */
export interface SwitchSettings {
  readonly platform_a: Partial<PlatformASwitches>;
  readonly platform_b: Partial<PlatformBSwitches>;
}

const definitions = { platform_a: platformASwitches, platform_b: platformBSwitches } as const;
const platforms = ['platform_a', 'platform_b'] as const;
type Platform = (typeof platforms)[number];

/**
 * Reads `name=value` for every platform that has the switch, and `platform_a.name=value` for one platform. If a switch
 * is set several times, the last setting counts.
 *
 * @throws SwitchError that names what is wrong
 */
export function readSwitches(settings: readonly string[]): SwitchSettings {
  const texts = { platform_a: new Map<string, string>(), platform_b: new Map<string, string>() };
  for (const setting of settings) {
    const [, only, name = '', text] = /^(?:(platform_[a-z]+)\.)?(\w+)=(.*)$/s.exec(setting) ?? [];
    if (text === undefined) throw new SwitchError(`"${setting}" is not of the form name=value`);
    const meant = platforms.filter((platform) => only === undefined || only === platform);
    const having = meant.filter((platform) => Object.hasOwn(definitions[platform], name));
    if (having.length === 0) {
      throw new SwitchError(`There is no switch "${only === undefined ? '' : `${only}.`}${name}"`);
    }
    for (const platform of having) texts[platform].set(name, text);
  }
  return {
    platform_a: switchesFromText<PlatformASwitches>(platformASwitches, texts.platform_a),
    platform_b: switchesFromText<PlatformBSwitches>(platformBSwitches, texts.platform_b),
  };
}

/** All switches with their defaults and what they decide, for reading. */
export function describeSwitches(): string {
  return platforms.map((platform) => `Switches of ${platform}:\n${linesOf(platform)}`).join('\n\n');
}

function linesOf(platform: Platform): string {
  return Object.entries<SwitchDefinition<SwitchValue>>(definitions[platform])
    .map(([name, definition]) => {
      const values = definition.values === undefined ? '' : `, one of ${definition.values.join(', ')}`;
      return `  ${name}=${definition.default}${values}\n      ${definition.about}`;
    })
    .join('\n');
}
