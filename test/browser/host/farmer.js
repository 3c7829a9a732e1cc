/** Asks the host for { organizationId, language, token }. Ask again before the token expires. */
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
