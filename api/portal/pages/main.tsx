import '@picocss/pico/css/pico.jade.min.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/cards.css';
import './styles/imports.css';
import './styles/tables.css';
import './styles/farms.css';
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('portal');
if (root !== null) render(<App />, root);
