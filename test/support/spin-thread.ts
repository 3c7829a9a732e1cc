import { serveTasks } from '../../shared/threads/serve-tasks.ts';
import { spinTasks } from './spin-tasks.ts';

serveTasks(spinTasks);
