import { committedDocument } from './api-description';
import { ResponseChecker, type CheckedResponse, type DescribedResponses } from './described-responses';
import { RequestChecker, type CheckedRequest, type DescribedRequests } from './described-requests';

type ApiDocument = DescribedResponses & DescribedRequests;

interface Checkers {
  readonly requests: RequestChecker;
  readonly answers: ResponseChecker;
}

let checkers: Checkers | undefined;

/**
 * Takes another description than the committed one, for all further calls: of a service that has one platform more.
 *
 * @param document the answer of that service's `/openapi.json`
 */
export function describedBy(document: unknown): void {
  // A description without its parts fails at the first call.
  const described = document as ApiDocument;
  checkers = { requests: new RequestChecker(described), answers: new ResponseChecker(described) };
}

/**
 * Compares a call with the description of the API: the answer's status, content type, body and headers, and the request where the
 * service took it, as a gateway that checks requests by the description must let it through.
 *
 * @throws Error naming what the description does not say
 */
export function checkDescribed(request: CheckedRequest, answer: CheckedResponse): void {
  if (process.env['UPDATE_DOCS'] === '1') return; // The description is being written anew.
  const { method, path } = request;
  if (method === 'HEAD' || method === 'OPTIONS') return; // They have no body, and answers of their own.
  if (checkers === undefined) describedBy(committedDocument());
  const ofResponse = checkers?.answers.problemsOf(method, path.replace(/[?#].*$/s, ''), answer) ?? [];
  if (ofResponse.length > 0) {
    throw new Error(
      `${method} ${path} answers ${answer.status}, which leaves the API description:\n${ofResponse.join('\n')}`,
    );
  }
  const ofRequest = answer.status < 400 ? (checkers?.requests.problemsOf(request) ?? []) : [];
  if (ofRequest.length > 0) {
    throw new Error(
      `${method} ${path} is answered ${answer.status}, and the API description does not allow it:\n${ofRequest.join('\n')}`,
    );
  }
}
