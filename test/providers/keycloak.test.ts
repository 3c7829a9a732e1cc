import { startKeycloak } from './keycloak.ts';
import { testProvider } from './test-provider.ts';

testProvider((request) => startKeycloak(process.env['KEYCLOAK_HOME'] ?? '', request));
