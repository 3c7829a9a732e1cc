/** The multipart body of an upload. */
export function packageForm(zip: Buffer, fileName = 'package.zip', field = 'file'): FormData {
  const form = new FormData();
  form.set(field, new Blob([new Uint8Array(zip)], { type: 'application/zip' }), fileName);
  return form;
}
