import { startOidcProvider } from '../providers/oidc-provider.ts';
import { testProvider } from '../providers/test-provider.ts';

testProvider(startOidcProvider);
