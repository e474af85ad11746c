import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';

/** What may differ for the acquirer, the sweeper, the cleaner or the external API. */
export interface MaintenanceProps {
  /**
   * Overrides of the function.
   * @default - those of the deployment
   */
  readonly functionProps?: FunctionOptions;
}
