/** The refresh tokens that were used and the sign-ins that were ended, in memory. */
export class SignIns {
  readonly #used = new Set<string>();
  readonly #ended = new Set<string>();

  /** Uses a refresh token, which is possible once. A second use may be a thief's, so it ends the sign-in. */
  use({ signInId, tokenId }: { readonly signInId: string; readonly tokenId: string }): boolean {
    if (this.#used.has(tokenId)) this.end(signInId);
    this.#used.add(tokenId);
    return !this.#ended.has(signInId);
  }

  /** Ends a sign-in: its refresh tokens are refused. */
  end(signInId: string): void {
    this.#ended.add(signInId);
  }
}
