// A service in a process of its own whose platform_b is far away, at the address FAR_PLATFORM.
import 'reflect-metadata';
import { Connectors } from '../../../src/platforms/connectors';
import type { Connector } from '../../../src/platforms/connector';
import { HttpPlatform } from '../platforms/http-platform';
import './run-service';

const url = process.env['FAR_PLATFORM'];
if (url === undefined) throw new Error('FAR_PLATFORM names no address');
const far = new HttpPlatform('platform_b', url);
// The service begins to listen only after this has run; nobody asks for a connector before.
// oxlint-disable-next-line typescript/unbound-method -- called with the registry it belongs to
const sandboxes = Connectors.prototype.connectorFor;
Connectors.prototype.connectorFor = function (this: Connectors, connection): Connector {
  return connection.platform === 'platform_b' ? far : sandboxes.call(this, connection);
};
