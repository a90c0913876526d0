// The library keeps what its decorators were told here. Its own types are in another folder than its code.
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
