import { behaviourOf } from '@app/behaviour';
import { ok, type Operations } from '../operations';
import { idValue } from '../ids';

/** Who the account is, and where the app is installed. */
export function addAccount(operations: Operations): void {
  operations
    .route('GET', '/rest/v1.0/me', {
      scope: 'none',
      run: () => ok({ id: 1, login: 'service-account@app.example', name: 'Service Account' }),
    })
    .route('GET', '/rest/v1.0/companies', {
      scope: 'none',
      run: ({ world: { company, isConnected } }) =>
        ok(isConnected ? [{ id: idValue(company.id), name: company.name, is_active: true }] : []),
    })
    .route('GET', '/rest/v1.0/companies/{company_id}/currency_configuration', {
      scope: 'company_path',
      run: ({ world: { core } }) =>
        ok({
          currency_iso_code: behaviourOf('platform_a').currency,
          currency_display: 'code',
          multicurrency_enabled: core.switches.get('multiCurrency'),
        }),
    });
}
