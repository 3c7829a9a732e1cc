/**
 * The domain of a stack on this machine. Browsers find it and all names below it there (RFC 6761, 6.3). The portal is at the
 * domain, and the application of each module at a name below it: that is one site, so browsers let an application store
 * data in the portal's frame.
 */
export const LOCAL_DOMAIN = 'modules.localhost';
