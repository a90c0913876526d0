import type { OwnFieldPlaces } from '../platform';

/** A page publishes the columns of its extensions as members of the record. It takes no object in one. */
export const ownFields: OwnFieldPlaces = {
  pathOf: (path) => path,
  placesOf: ([name, ...inner]) => {
    if (name === undefined || inner.length > 0)
      return { why: 'stands inside another member, and the API takes plain members only' };
    const place = { kind: 'member', name } as const;
    return { creating: place, changing: place };
  },
};
