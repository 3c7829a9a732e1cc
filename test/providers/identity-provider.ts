import type { Page } from 'playwright-core';

/** Where the service is, and what the provider's tokens are to say. */
export interface ProviderRequest {
  /** The origin of the service. */
  readonly serviceUrl: string;
  /** The `aud` of its access tokens. */
  readonly audience: string;
  /** The organization whose administrator Vera is. */
  readonly organizationId: string;
  /** The group that Greta is in. */
  readonly group: string;
}

/** The people of a provider; the password of each is the name. */
export type Person = 'vera' | 'otto' | 'greta';

/** A real identity provider, with a client for the portal and one for a program. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Settings of the service beside issuer and audience. */
  readonly settings: Readonly<Record<string, string>>;
  /** Fields and buttons of its pages. */
  readonly pages: {
    readonly name: string;
    readonly password: string;
    readonly logIn: string;
    /** Shown after the first sign-in; null: there is none. */
    readonly consent: string | null;
    /** Shown at sign-out; null: there is none. */
    readonly signOut: string | null;
  };
  /** The lifetime of its access tokens. */
  readonly accessTokenSeconds: number;
  /** Ends the session of a person, who is signed in on the page, as an administrator or another application does. */
  endSessions(person: Person, page: Page): Promise<void>;
  /** A program's token by client credentials: a JWT for the service or for another audience, or an opaque one. */
  programToken(kind: 'service' | 'other audience' | 'opaque'): Promise<string | null>;
  /** Signs with another key from now on. */
  rotateKeys(): Promise<void>;
  stop(): Promise<void>;
}
