// A service in a process of its own that reads its platform_a at the address READ_PLATFORM.
import 'reflect-metadata';
import { Connectors } from '../../../src/platforms/connectors';
import type { Connector } from '../../../src/platforms/connector';
import { ServedReading } from '../platforms/served-reading';
import './run-service';

const url = process.env['READ_PLATFORM'];
if (url === undefined) throw new Error('READ_PLATFORM names no address');
const served = new ServedReading(url);
// The service begins to listen only after this has run; nobody asks for a connector before.
// oxlint-disable-next-line typescript/unbound-method -- called with the registry it belongs to
const sandboxes = Connectors.prototype.connectorFor;
Connectors.prototype.connectorFor = function (this: Connectors, connection): Connector {
  return connection.platform === 'platform_a' ? served : sandboxes.call(this, connection);
};
