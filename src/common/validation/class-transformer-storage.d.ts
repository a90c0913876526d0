// The library stores its decorators' metadata here. It publishes the types of this file in another folder than the
// code.
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
