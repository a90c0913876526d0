/** The public face of the mapper: the service imports from here only. */
export { isIsoDate } from './canonical/calendar';
export {
  entityTypes,
  idPrefixes,
  isEntityType,
  isStoredEntityType,
  storedEntityTypes,
  withArticle,
  type EntityType,
  type StoredEntityType,
} from './canonical/entity-type';
export {
  canBeNull,
  fieldTypes,
  fieldUnits,
  type Field,
  type Fields,
  type FieldType,
  type FieldUnit,
} from './canonical/field';
export {
  CUSTOM,
  isOwnFieldName,
  ownCodecNames,
  ownFieldName,
  OwnFields,
  shownField,
  withPrefixedFields,
  type OwnCodec,
  type OwnFieldDefinition,
  type OwnPlace,
} from './canonical/own-fields';
export { canonicalFields, commonMembers, fieldListOf, fieldsOf, timestampFields } from './canonical/types';
export { groupBy } from './group-by';
export {
  assembleFields,
  assembleObject,
  disagreementsOn,
  equalAtTheRate,
  whyChosen,
  type AssembledObject,
  type Disagreement,
  type PlatformCopy,
  type StoredObject,
} from './canonical-object/assemble';
export {
  defaultTerms,
  fieldsWithPrecedence,
  inOrderOf,
  creationLevels,
  levelOf,
  precedenceOf,
  problemOfPrecedence,
  ruleLevels,
  ruleNames,
  type CreationLevel,
  type Precedence,
  type RuleLevel,
  type RuleLevels,
  type RuleName,
  type Terms,
  type ValueTerms,
} from './canonical-object/terms';
export {
  ComparedRecords,
  type ComparedField,
  type FieldDifference,
  type FieldReading,
} from './canonical-object/compare';
export {
  businessKeyOf,
  foldText,
  keyFieldsOf,
  keyRules,
  normaliseKey,
  type BusinessKey,
} from './identity/business-key';
export { canonicalId, isCanonicalIdOf, type IdBasis } from './identity/canonical-id';
export {
  describeType,
  type DescribedAccess,
  type DescribedField,
  type DescribedPath,
  type DescribedResource,
  type DescribedType,
  type DescriptionContext,
} from './documentation/described-type';
export { ExactNumber } from './json/exact-number';
export { pathFrom, samePath, valueAt, withValueAt, withValuesAt, type JsonPath } from './json/json-path';
export { exceededLimit, type StructureLimits } from './json/json-structure';
export { JsonTextError, parseJsonText, stringifyJson } from './json/json-text';
export {
  isJsonArray,
  isJsonObject,
  ownMember,
  ownObject,
  ownText,
  sameJson,
  setMember,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from './json/json-value';
export { mergePatch } from './json/merge-patch';
export { cutText, findUnstorableText, isStorableText, shortened, storableText } from './json/storable-text';
export { phraseOf, typesOf, type ValueSchema, type ValueType } from './canonical/schema';
export {
  absent,
  across,
  always,
  at,
  folded,
  linesAt,
  own,
  reference,
  source,
  type Binding,
  type LineTable,
  type NativeReference,
  type ReferenceSource,
} from './mapping/binding';
export { Unfit, type Codec, type ValueContext } from './mapping/codec';
export { currencyCodec, moneyCodec } from './mapping/codecs/money';
export { booleanCodec, decimalCodec, integerCodec } from './mapping/codecs/number';
export { textCodec } from './mapping/codecs/text';
export { dateCodec, timestampCodec } from './mapping/codecs/time';
export { enumerationCodec as wordsCodec } from './mapping/codecs/enumeration';
export { overlap } from './mapping/compile';
export { UNKNOWN_CURRENCY } from './mapping/currency';
export type { Decoded, DecodeContext, PayloadReading } from './mapping/reading/decode';
export { phraseOfPlace, type DescribedPlace, type FieldDescription } from './mapping/describing/description';
export type { EncodeContext, TargetReference } from './mapping/writing/encode';
export { Mapping } from './mapping/mapping';
export { MappingError, type FieldIssue } from './mapping/mapping-error';
export type { NativeChange } from './mapping/native-change';
export type { MappingTable, RecordId, ResourceOptions } from './mapping/resource';
export {
  fields,
  never,
  onlyWhenCreating,
  type LockingState,
  type NativeField,
  type NativeFields,
  type ValueKind,
  type WritePlace,
} from './resource/native-field';
export { NativeResource, type Access, type ResourceDescription } from './resource/native-resource';
export { currencyCodes, exponentOf, isCurrency } from './money/currencies';
export { conversionAt, convert, divideHalfEven, type Conversion } from './money/convert';
export {
  formatDecimal,
  parseDecimalText,
  parseNumberToken,
  shortestDecimal,
  shortestText,
  type Decimal,
} from './money/decimal-text';
export { minus, negated, plus, sameDecimal, times, ZERO } from './money/decimal-arithmetic';
export { decimalIn, decimalOf, numberOf } from './money/json-number';
export {
  findRate,
  problemOfQuote,
  quotesOf,
  type ExchangeRate,
  type RateQuote,
  type RateSource,
} from './money/exchange-rates';
export {
  AmountError,
  isMoney,
  minorUnits,
  moneyNumber,
  moneyText,
  sameMoney,
  type Money,
} from './money/money';
export {
  inPrecedence,
  isPlatformName,
  mappingOf,
  nativeIdFrom,
  platformNames,
  platformOf,
  registerPlatform,
  variantNameFor,
  variantsOf,
  type Platform,
  type PlatformName,
  type Variants,
} from './platforms';
export {
  isOwnFieldNameText,
  ownFieldLimits,
  ownFieldNamePattern,
  problemsOfDefinition,
  problemsOfPaths,
} from './platforms/own-field-problems';
export { previewSteps, previewTranslation, type Preview, type PreviewRequest } from './preview/preview';
export type { KnownMapping } from './preview/known-mappings';
export { readMapperContext, type MapperContext } from './preview/preview-context';
export {
  sourceOutcomes,
  targetOrigins,
  type LossReport,
  type SourceLine,
  type SourceOutcome,
  type TargetLine,
  type TargetOrigin,
} from './preview/report/report-lines';
export type { ReferenceReport, ResolvedReference, UnresolvedReference } from './preview/references';
