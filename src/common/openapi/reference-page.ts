import { Router, static as staticFiles, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { dirname, join } from 'node:path';
import { setStandardHeaders } from '../../runtime/tracing/request-id';

// Only its files: the package's entry point would load the whole page into this process.
const library = dirname(require.resolve('swagger-ui-dist/package.json'));

/** What the page loads of the package. All else comes from this service, and nothing from other origins. */
const libraryFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

/**
 * All of helmet's headers for pages. This page may load from and call its own origin. The library sets inline styles
 * and uses data URLs for its icons. Requests are not upgraded to HTTPS, because a service without HTTPS could not show
 * the page.
 */
const policy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
});

const ofPage = /^\/docs(?:\/|$)/i;

/**
 * The API reference for people at `/docs`: the API description to read, search and try out, its guides, and all pages that
 * these lead to.
 *
 * @param folder of this file, in the sources and in what the build makes of them
 */
export function referencePage(folder = __dirname): RequestHandler {
  const own = join(folder, 'page');
  const files: ReadonlyMap<string, string> = new Map([
    ...libraryFiles.map((name): [string, string] => [name, join(library, name)]),
    ['page.js', join(own, 'page.js')],
  ]);
  const router = Router({ strict: true });
  const page: RequestHandler = (_request, response, next) => send(response, join(own, 'index.html'), next);
  const asset: RequestHandler<{ asset: string }> = (request, response, next) => {
    const file = files.get(request.params.asset);
    if (file === undefined) next();
    else send(response, file, next);
  };
  router.get('/docs', policy, page);
  router.get('/docs/', (_request, response) => response.redirect(308, '../docs'));
  router.get('/docs/:asset', policy, asset);
  router.use(
    '/docs',
    policy,
    staticFiles(join(folder, '../../../docs'), { ...plain, index: false, redirect: false }),
  );
  // A router compares each of its paths with every request, so other requests skip it.
  return (request, response, next) => {
    if (!ofPage.test(request.path)) return next();
    setStandardHeaders(response, request.context.requestId);
    router(request, response, next);
  };
}

/** The files change only with a release. */
const plain = { etag: false, lastModified: false, acceptRanges: false, cacheControl: false } as const;

function send(response: Response, file: string, next: (error?: unknown) => void): void {
  // The path is one of ours. A name with a point in front is then a folder above the installation.
  response.sendFile(file, { ...plain, dotfiles: 'allow' }, (error?: Error) => {
    if (error !== undefined && !response.headersSent) next(error);
  });
}
