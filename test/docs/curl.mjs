// A curl for machines without one: the few options that the README uses, with curl's meaning. Notes each call, one a line of JSON,
// in the file that CURL_CALLS names.
import { appendFile } from 'node:fs/promises';
import { request } from 'node:http';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    include: { type: 'boolean', short: 'i' },
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'write-out': { type: 'string', short: 'w', default: '' },
  },
});
const [url] = positionals;
const sent = {
  method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
  headers: Object.fromEntries(values.header.map((line) => line.split(/:\s*/, 2))),
};
const call = request(url, {
  ...sent,
  headers: {
    ...sent.headers,
    // Node leaves it out for a DELETE.
    ...(values.data !== undefined && { 'Content-Length': Buffer.byteLength(values.data) }),
  },
});
call.on('response', async (response) => {
  const { rawHeaders } = response;
  if (values.include)
    for (let index = 0; index < rawHeaders.length; index += 2)
      process.stdout.write(`${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`);
  const chunks = [];
  for await (const chunk of response) {
    chunks.push(chunk);
    process.stdout.write(chunk);
  }
  const answer = {
    status: response.statusCode,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  };
  await appendFile(
    process.env.CURL_CALLS,
    `${JSON.stringify({ url, ...sent, body: values.data, answer })}\n`,
  );
  process.stdout.write(
    values['write-out'].replaceAll('%{http_code}', response.statusCode).replaceAll('\\n', '\n'),
  );
});
call.end(values.data);
