import { Router, type RequestHandler } from 'express';
import helmet from 'helmet';
import { setStandardHeaders } from '../runtime/tracing/request-id';
import { ENCODINGS, type ConsoleFiles } from './console-files';

/** The path of the console without a leading slash. Links to it are relative, so that it works behind a prefix. */
export const CONSOLE_PATH = 'console';

/**
 * All of helmet's headers for pages. The console loads from and calls its own origin alone, sets no style and no script
 * inline, and gives no text to a part of the page that would run it (Trusted Types). Requests are not upgraded to HTTPS,
 * because a service without HTTPS could not show the page.
 */
const policy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
});

/** A file whose name contains a hash never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const ofConsole = /^\/(?:console(?:\/|$)|$)/i;

/**
 * Serves the console at `/console`: one page, and the assets that the build lists. All assets share one route, so that
 * log and metrics have one name for them. A browser that requests `/` is redirected to the console.
 */
export function consolePage({ page, assets }: ConsoleFiles): RequestHandler {
  const router = Router({ strict: true });
  router.get('/', (request, response, next) => {
    // Programs that accept any content type are not redirected and get the same answer as before the console existed.
    if (!(request.headers.accept ?? '').includes('text/html')) return next();
    response.vary('Accept').redirect(302, CONSOLE_PATH);
  });
  router.get(`/${CONSOLE_PATH}`, policy, (_request, response) => {
    response.type('html').send(page);
  });
  router.get(`/${CONSOLE_PATH}/`, (_request, response) => response.redirect(308, `../${CONSOLE_PATH}`));
  const asset: RequestHandler<{ asset: string }> = (request, response, next) => {
    const file = assets.get(request.params.asset);
    if (file === undefined) return next();
    const encoding = ENCODINGS.find((one) => file.encoded.has(one) && request.acceptsEncodings(one) === one);
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    response.vary('Accept-Encoding').setHeader('Cache-Control', FOR_EVER);
    response.type(file.type).send((encoding && file.encoded.get(encoding)) ?? file.plain);
  };
  router.get(`/${CONSOLE_PATH}/:asset`, policy, asset);
  // A router compares each of its paths with every request, so other requests skip it.
  return (request, response, next) => {
    if (!ofConsole.test(request.path)) return next();
    setStandardHeaders(response, request.context.requestId);
    router(request, response, next);
  };
}
