import '@picocss/pico/css/pico.jade.min.css';
import './styles/base.css';
import './styles/forms.css';
import './styles/parts.css';
import './styles/pages.css';
import './styles/farms.css';
import './styles/charts.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { keepInvitationSecret } from './members/invitation-secret.ts';

keepInvitationSecret();
const root = document.getElementById('portal');
if (root !== null) render(<App />, root);
