export type { Platform, Variants } from './platform';
export {
  inPrecedence,
  isPlatformName,
  mappingOf,
  platformNames,
  platformOf,
  registerPlatform,
  variantNameFor,
  variantsOf,
  type PlatformName,
} from './registry';
