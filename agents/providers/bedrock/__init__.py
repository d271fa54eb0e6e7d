"""Claude on AWS Bedrock: the Messages format in AWS's envelope."""
