/** The texts of the page that runs an installed application, in English. */
export const englishApplication = {
  open: 'Open',
  title: 'Application',
  back: 'Back to the marketplace',
  lead: (revision: number) =>
    `Revision ${revision}. The application runs apart from this portal and cannot see your sign-in.`,
  noPage:
    'This application has no page of its own. It is loaded by the page of a host, such as your farm management platform.',
};
