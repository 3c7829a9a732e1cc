import type { PackageReport } from '../package/package-report.ts';

/** The report of a package that was uploaded for a module: without an ID of its own, the package is that module's. */
export function forModule(report: PackageReport, moduleId: string | null): PackageReport {
  const { subject, content } = report;
  if (moduleId === null || subject === null || subject.moduleId !== null) return report;
  const named = { ...subject, moduleId };
  if (content === null) return { ...report, subject: named };
  const descriptor = { ...content.descriptor, moduleId };
  return { ...report, subject: named, content: { ...content, subject: named, descriptor } };
}
