export type { Platform, Variants } from './platform';
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
  type PlatformName,
} from './registry';
