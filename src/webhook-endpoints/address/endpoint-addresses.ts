import { Inject, Injectable } from '@nestjs/common';
import { Resolver } from 'node:dns/promises';
import { isIP, type BlockList } from 'node:net';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { isUsualPort, readEndpointUrl, type EndpointUrl } from './endpoint-url';
import { isIn, isPublicAddress, networksOf } from './special-networks';

/** An IP address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to its IP addresses. */
export abstract class HostResolver {
  /** @throws an error of DNS where the name has none */
  abstract resolve(host: string): Promise<readonly HostAddress[]>;
}

/** The milliseconds that a name server may take, and the number of attempts. */
const NAME_SERVER = { timeout: 2_000, tries: 2 } as const;

/**
 * Resolves host names by asking name servers directly. The operating system's resolver would occupy one of its few
 * threads for as long as a name server is silent, and all customers would wait for these threads.
 */
@Injectable()
export class NameServers extends HostResolver {
  /** Uses the name servers of the operating system unless the test sets others. */
  readonly resolver = new Resolver(NAME_SERVER);

  async resolve(host: string): Promise<readonly HostAddress[]> {
    const [four, six] = await Promise.allSettled([
      this.resolver.resolve4(host),
      this.resolver.resolve6(host),
    ]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
  }
}

/**
 * The service may not send to an address. The message begins with the behaviour of the address ("leads to …"), so that
 * it can follow the name of the field in the answer to the registration.
 */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** An address that was checked, with the IP addresses that were found to be allowed. */
export interface CheckedAddress extends EndpointUrl {
  readonly addresses: readonly HostAddress[];
  /** Whether all of them are in networks that the operator allows. */
  readonly isInAllowedNetworks: boolean;
}

/** Decides where deliveries may go: to public addresses over HTTPS, and to the networks that the operator allows. */
@Injectable()
export class EndpointAddresses {
  private readonly allowed: BlockList;

  constructor(
    private readonly resolver: HostResolver,
    @Inject(ENVIRONMENT) { webhookAllowedNetworks }: Environment,
  ) {
    this.allowed = networksOf(webhookAllowedNetworks);
  }

  /**
   * Resolves the host once, and checks each of its IP addresses. A connection must use these addresses and not resolve
   * the host again.
   *
   * @throws AddressRefused
   */
  async check(text: string): Promise<CheckedAddress> {
    const read = readEndpointUrl(text);
    if (typeof read === 'string') throw new AddressRefused(read);
    const addresses = await this.addressesOf(read.host);
    if (addresses.length === 0) throw new AddressRefused('names a host that has no address');
    const isInAllowedNetworks = addresses.every(({ address }) => isIn(this.allowed, address));
    if (!isInAllowedNetworks) refusePrivate(read, addresses);
    return { ...read, addresses, isInAllowedNetworks };
  }

  private async addressesOf(host: string): Promise<readonly HostAddress[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    try {
      return await this.resolver.resolve(host);
    } catch (cause) {
      throw new AddressRefused('names a host that cannot be resolved', { cause });
    }
  }
}

function refusePrivate({ url, port }: EndpointUrl, addresses: readonly HostAddress[]): void {
  if (!addresses.every(({ address }) => isPublicAddress(address)))
    throw new AddressRefused('leads to a network that is not public');
  if (url.protocol !== 'https:') throw new AddressRefused('must begin with https://');
  if (!isUsualPort(port)) throw new AddressRefused('has a port of another protocol');
}
