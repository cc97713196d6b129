/**
 * Where things run and how schemas reach the model: for chat and rounds alike.
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit-html'
import type { Mode } from '../src/index.ts'

export interface Settings {
  readonly place: 'page' | 'worker'
  readonly mode: Mode
  /** The Worker's API token, or a run token. */
  readonly token: string
  /** The Worker has refused to go without. */
  readonly needsToken: boolean
}

export function settingsBar(
  settings: Settings,
  change: (changed: Partial<Settings>) => void,
): TemplateResult {
  return html`<div class="choices">
      ${choice(
        'Where it runs',
        'place',
        [
          ['page', 'In this page'],
          ['worker', 'On the Worker'],
        ],
        settings.place,
        (place) => change({ place: place as Settings['place'] }),
      )}
      ${choice(
        'Schemas',
        'mode',
        [
          ['full', 'full'],
          ['deferred', 'deferred'],
          ['stub', 'stub'],
        ],
        settings.mode,
        (mode) => change({ mode: mode as Mode }),
      )}
    </div>
    ${settings.needsToken ? tokenField(settings, change) : nothing}`
}

function tokenField(
  { token }: Settings,
  change: (changed: Partial<Settings>) => void,
): TemplateResult {
  return html`<div class="field">
    <label for="token">API token of the Worker</label>
    <input id="token" type="password" autocomplete="off" .value=${token}
      @input=${(event: Event) => change({ token: (event.target as HTMLInputElement).value })} />
  </div>`
}

export function choice(
  legend: string,
  name: string,
  options: readonly (readonly [value: string, label: string])[],
  chosen: string,
  onChoose: (value: string) => void,
): TemplateResult {
  return html`<fieldset class="choice">
    <legend>${legend}</legend>
    <div>${options.map(
      ([value, label]) =>
        html`<label><input type="radio" name=${name} value=${value} .checked=${value === chosen} @change=${() => onChoose(value)} /><span>${label}</span></label>`,
    )}</div>
  </fieldset>`
}
