import { serveTasks } from '../shared/threads/serve-tasks.ts';
import { jsonTasks } from './json-tasks.ts';

serveTasks(jsonTasks);
