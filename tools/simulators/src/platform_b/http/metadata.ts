import type { Reply } from '../../server';
import type { EntitySet } from '../model/entity-set';
import type { Field } from '../model/field';
import { edmTypes } from '../model/fit';
import { pages, type Route } from '../model/pages';
import { pageNamed } from './present';

/** What the pages of a route are made of, as OData describes it: types, their fields, and members of enumerations. */
export function metadataReply(route: Route): Reply {
  const sets = [...pages[route].values()];
  const types = sets.map((set) => typeOf(route, set)).join('');
  const enums = [...enumsOf(sets)].map(([name, members]) => enumOf(name, members)).join('');
  const entries = sets
    .map(({ name, type }) => `<EntitySet Name="${name}" EntityType="Microsoft.NAV.${type}"/>`)
    .join('');
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    text:
      '<?xml version="1.0" encoding="utf-8"?>' +
      '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>' +
      '<Schema Namespace="Microsoft.NAV" xmlns="http://docs.oasis-open.org/odata/ns/edm">' +
      `${types}${enums}<EntityContainer Name="NAV">${entries}</EntityContainer>` +
      '</Schema></edmx:DataServices></edmx:Edmx>',
  };
}

function typeOf(route: Route, { type, fields, parts }: EntitySet): string {
  const properties = [...fields].map(([name, field]) => propertyOf(name, field)).join('');
  const links = [...parts].map(([name, { many, set }]) => {
    const target = `Microsoft.NAV.${pageNamed(route, set).type}`;
    return `<NavigationProperty Name="${name}" Type="${many ? `Collection(${target})` : target}"/>`;
  });
  const key = '<Key><PropertyRef Name="id"/></Key>';
  return `<EntityType Name="${type}">${key}${properties}${links.join('')}</EntityType>`;
}

function propertyOf(name: string, field: Field): string {
  const longest = field.longest === undefined ? '' : ` MaxLength="${field.longest}"`;
  const type = field.members === undefined ? edmTypes[field.kind] : `Microsoft.NAV.${name}`;
  return `<Property Name="${name}" Type="${type}"${longest}/>`;
}

// Several pages have a field of one name; a client looks for members, and finds those of each.
function enumsOf(sets: readonly EntitySet[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { fields } of sets) {
    for (const [name, { members = [] }] of fields) {
      if (members.length > 0) found.set(name, [...new Set([...(found.get(name) ?? []), ...members])]);
    }
  }
  return found;
}

function enumOf(name: string, members: readonly string[]): string {
  const shown = members.map((member, index) => `<Member Name="${member}" Value="${index}"/>`);
  return `<EnumType Name="${name}">${shown.join('')}</EnumType>`;
}
