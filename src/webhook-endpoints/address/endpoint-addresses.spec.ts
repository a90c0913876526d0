import { readEnvironment } from '../../runtime/config/environment';
import { EndpointAddresses, HostResolver, type HostAddress } from './endpoint-addresses';

class GivenNames extends HostResolver {
  asked = 0;

  constructor(private readonly answers: readonly (readonly string[])[]) {
    super();
  }

  resolve(): Promise<readonly HostAddress[]> {
    const found = this.answers[this.asked];
    this.asked += 1;
    if (found === undefined) return Promise.reject(new Error('ENOTFOUND'));
    return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  }
}

const over = (answers: readonly (readonly string[])[], networks = '') =>
  new EndpointAddresses(new GivenNames(answers), readEnvironment({ WEBHOOK_ALLOWED_NETWORKS: networks }));

describe('the addresses of endpoints', () => {
  it.each([
    ['https://127.0.0.1/hook'],
    ['https://2130706433/'],
    ['https://0x7f.1/'],
    ['https://0177.0.0.1/'],
    ['https://127.1/'],
    ['https://[::1]/'],
    ['https://[::ffff:10.0.0.1]/'],
    ['https://[::ffff:a00:1]/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://①②⑦.0.0.1/'],
  ])('are not those of %s, however it is written', async (url) => {
    await expect(over([]).check(url)).rejects.toThrow('leads to a network that is not public');
  });

  it.each([
    ['http://93.184.215.14/', 'must begin with https://'],
    ['ftp://93.184.215.14/', 'must begin with https://'],
    ['https://93.184.215.14:22/', 'has a port of another protocol'],
    ['https://user@93.184.215.14/', 'must not hold a user name or password'],
    ['https://93.184.215.14/#a', 'must not have a fragment'],
    ['example', 'must be an address such as https://example.com/hook'],
    [`https://93.184.215.14/${'a'.repeat(2_048)}`, 'must be an address such as https://example.com/hook'],
    ['https://nowhere.example/', 'names a host that cannot be resolved'],
  ])('are not %s', async (url, message) => {
    await expect(over([]).check(url)).rejects.toThrow(message);
  });

  it('are not longer in the form in which they are stored and read again', async () => {
    const address = (characters: number): string => `https://93.184.215.14/${'é'.repeat(characters)}`;
    // Each of these letters is stored as six characters, behind 22 others.
    const { url } = await over([]).check(address(337));
    expect(url.href).toHaveLength(2_044);
    await expect(over([]).check(url.href)).resolves.toMatchObject({ url });
    await expect(over([]).check(address(338))).rejects.toThrow('must have at most 2048 characters');
  });

  it('are refused whole when one of them is private', async () => {
    await expect(over([['93.184.215.14', '10.0.0.1']]).check('https://example.com/')).rejects.toThrow(
      'leads to a network that is not public',
    );
    await expect(over([[]]).check('https://example.com/')).rejects.toThrow('has no address');
  });

  it('are those that the name had at the one time when it was asked for', async () => {
    const names = over([['93.184.215.14'], ['127.0.0.1']]);
    await expect(names.check('https://example.com:8443/hook?a=b')).resolves.toMatchObject({
      addresses: [{ address: '93.184.215.14', family: 4 }],
      host: 'example.com',
      port: 8443,
    });
    await expect(names.check('https://example.com:8443/hook')).rejects.toThrow('not public');
  });

  it('may be those of allowed networks, over HTTP and at any port', async () => {
    const allowed = over([['10.1.0.7'], ['10.1.0.7', '93.184.215.14']], '10.1.0.0/16');
    await expect(allowed.check('http://hooks.internal:25/')).resolves.toMatchObject({ port: 25 });
    await expect(allowed.check('http://hooks.internal:25/')).rejects.toThrow('not public');
    await expect(allowed.check('https://10.2.0.1/')).rejects.toThrow('not public');
  });
});
