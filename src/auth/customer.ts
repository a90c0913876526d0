/** Who the data belongs to. Demo customers come and go with their session. */
export interface Customer {
  readonly id: string;
  readonly kind: 'demo' | 'standard';
}
