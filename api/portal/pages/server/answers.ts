import type { AlertRules } from '../../../../shared/package/alert-rules/alert-rules.ts';
import type { Descriptor } from '../../../../shared/package/descriptor/descriptor.ts';
import type { RolesEntities } from '../../../../shared/package/roles/roles-entities.ts';
import type { Block, Farm, Field, IrrigationStation } from '../../../../shared/structures/structure.ts';

/** What of the API's answers the pages show. */

export interface Organization {
  readonly id: string;
  readonly kind: 'vendor' | 'farmer';
  readonly name: string;
  readonly isAdmin: boolean;
}

export interface Session {
  readonly subject: string;
  readonly name: string;
  readonly isOperator: boolean;
  readonly organizations: readonly Organization[];
}

export interface List<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export interface CatalogueEntry {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly description: string | null;
}

export interface ModuleName {
  readonly languageId: string;
  readonly moduleName: string;
  readonly shortName: string | null;
}

export interface StoredFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly sha256: string;
}

export type Logo = Pick<StoredFile, 'path' | 'mediaType' | 'sha256'>;

export type ImportStatus = 'queued' | 'running' | 'succeeded' | 'rejected' | 'failed' | 'cancelled';

export interface ListedModule {
  readonly id: string;
  readonly scope: string | null;
  readonly translations: readonly ModuleName[];
  readonly logos: readonly Logo[];
  readonly moduleVersion: number;
  readonly revision: number;
  readonly lastImport: {
    readonly importId: string;
    readonly status: ImportStatus;
    readonly createdAt: string;
  } | null;
  readonly updatedAt: string;
}

export interface ModuleRevision {
  readonly id: string;
  readonly revision: number;
  readonly currentRevision: number;
  readonly moduleVersion: number;
  readonly descriptor: Descriptor;
  readonly roles: RolesEntities | null;
  readonly alertRules: AlertRules | null;
  readonly files: readonly StoredFile[];
  readonly updatedAt: string;
}

export interface RevisionSummary {
  readonly revision: number;
  readonly importId: string;
  readonly files: number;
  readonly sizeBytes: number;
  readonly createdAt: string;
}

/** A fault of a package or of a request. */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly severity: 'error' | 'warning';
  readonly entry?: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly offset?: number;
}

export interface ModuleImport {
  readonly importId: string;
  readonly organizationId: string;
  readonly status: ImportStatus;
  readonly validateOnly: boolean;
  readonly outcome: 'created' | 'updated' | 'unchanged' | null;
  readonly moduleId: string | null;
  readonly revision: number | null;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly errorsTotal: number;
  readonly progress: {
    readonly step: 'queued' | 'reading' | 'checking' | 'writing';
    readonly completed: number;
    readonly total: number;
  };
  readonly fileName: string | null;
  readonly sizeBytes: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export interface ApiClient {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly secretStart: string;
  readonly createdAt: string;
  readonly expiresOn: string;
  readonly revokedOn: string | null;
  readonly lastUsedOn: string | null;
}

/** The one answer with a key. */
export interface IssuedKey {
  readonly clientSecret: string;
  readonly clientName: string;
  readonly clientId: string;
  readonly expiresOn: string;
}

export interface AvailableModule {
  readonly id: string;
  readonly revision: number;
  readonly translations: readonly (ModuleName & { readonly description?: string | null })[];
  readonly logos: readonly Logo[];
  readonly dataAreaIds: readonly string[];
  readonly alertRules?: AlertRules | null;
}

export interface Installation {
  readonly moduleId: string;
  readonly acceptedDataAreaIds: readonly string[];
  readonly consentPending: boolean;
  readonly createdAt: string;
}

export type RuleValues = Readonly<Record<string, string | number | boolean>>;

export interface AlertRule {
  readonly id: string;
  readonly moduleId: string;
  readonly criteria: string;
  readonly values: RuleValues;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly status: 'active' | 'outdated';
  readonly outdatedReasons: readonly string[];
  readonly createdAt: string;
}

export interface Alert {
  readonly id: string;
  readonly moduleId: string;
  readonly ruleId: string;
  readonly target: { readonly type: string; readonly id: string };
  readonly status: 'firing' | 'resolved';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly title: string;
  readonly message: string;
  readonly value: number | null;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedBy: string | null;
}

export interface FarmTree extends Farm {
  readonly fields: readonly (Field & { readonly blocks: readonly Block[] })[];
  readonly irrigationStations: readonly IrrigationStation[];
}

export interface Backlog {
  readonly queued: number;
  readonly running: number;
  readonly oldestWaitingSeconds: number;
}

export interface Worker {
  readonly name: string;
  readonly ageSeconds: number;
  readonly idleSeconds: number;
}
