/** Asks the host, which is the portal or a platform that the operator allows, for { organizationId, language, token }. */
export function farmer() {
  return new Promise((resolve) => {
    addEventListener('message', function receive({ source, data }) {
      if (source !== parent || data?.type !== 'farmer') return;
      removeEventListener('message', receive);
      resolve(data);
    });
    parent.postMessage({ type: 'farmer.request' }, '*');
  });
}
