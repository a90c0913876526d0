import { platformNames } from '@app/mapper';

/** Describes a member for each platform, by its name, in a class without other members. @param member describes one of them */
export function ForEachPlatform(member: PropertyDecorator): ClassDecorator {
  return ({ prototype }) => {
    for (const platform of platformNames) member(prototype as object, platform);
  };
}
