import { platformNames } from '@app/mapper';

/**
 * A class decorator that describes one member for each platform, by its name. The class has no other members.
 *
 * @param member describes one of the members
 */
export function ForEachPlatform(member: PropertyDecorator): ClassDecorator {
  return ({ prototype }) => {
    for (const platform of platformNames) member(prototype as object, platform);
  };
}
