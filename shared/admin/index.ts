// What an operator's script imports from `nightcrew/admin`.
export { createActivation, type Activation, type ActivationOptions, type ActivationStatus, type ActivationTargets } from './activation.ts';
