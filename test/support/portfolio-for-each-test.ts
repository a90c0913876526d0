import { startApp, type RunningApp } from './app';
import { portfolios, type Portfolio, type Portfolios } from './portfolio';

/** One service for the tests of a `describe`, and before each of them a new portfolio, both platforms connected. */
export function portfolioForEachTest(
  give: (given: { app: RunningApp; all: Portfolios; portfolio: Portfolio }) => void,
): void {
  let app: RunningApp;
  let all: Portfolios;
  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
  });
  beforeEach(async () => give({ app, all, portfolio: await all.open() }));
  afterAll(async () => {
    await all.close();
    await app.close();
  });
}
