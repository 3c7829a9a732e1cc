import { testFeedSequences } from '../../support/feed-sequences.ts';

testFeedSequences();
