import type { Plugin, UserConfig } from 'vite';

export declare function simulatedParts(): Plugin;
declare const config: UserConfig;
export default config;
