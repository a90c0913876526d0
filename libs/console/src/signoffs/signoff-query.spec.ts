import { signoffQueryOf } from './signoff-query';

it('is what an address says, and nothing that it does not know', () => {
  expect(signoffQueryOf(new URLSearchParams('state=standing&role=&other=1'))).toEqual({ state: 'standing' });
});
