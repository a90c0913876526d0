import { startApp, type RunningApp } from '../app/app';
import { portfolios, type Portfolio, type Portfolios } from './portfolio';

/**
 * Starts one service for the tests of a `describe`, and opens a new portfolio before each test, with both platforms
 * connected.
 */
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
