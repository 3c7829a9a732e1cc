import type * as product from '../../../../../../shared/db/deployments.ts';
import { simulated } from '../../../simulated-database.ts';

export * from '../../../../../../shared/db/deployments.ts';

export const ownDeployments: typeof product.ownDeployments = (database) =>
  simulated(database).run('read deployments', () => [simulated(database).server.deploymentId]);
